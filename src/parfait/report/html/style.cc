#include "parfait/report/html/style.h"

namespace parfait::report {

// Colours of marks are those of M. Okabe and K. Ito, Color Universal Design (2008), of which blue,
// vermillion, green, orange and purple are dark enough on white; on black their lighter half is
// used.
std::string_view style_sheet() {
  return R"css(:root{color-scheme:light dark;--page:#fff;--card:#f6f7f9;--ink:#1b1f24;--soft:#57606a;
--edge:#d8dee4;--data:#1b1f24;--model:#0072b2;--guess:#7a828c;--truth:#007a5a;--alarm:#c44e00;
--limit:#8a929b;--second:#c44e00;--third:#007a5a;--fourth:#a94f80;--fifth:#a87400;
--good:#007a5a;--doubt:#8a5f00;--bad:#b3410e;--strong:.3;--faint:.14}
@media screen and (prefers-color-scheme:dark){:root{--page:#12161b;--card:#1b2128;--ink:#e6e9ed;
--soft:#a3adb8;--edge:#353d47;--data:#e6e9ed;--model:#56b4e9;--guess:#98a2ad;--truth:#2fc79c;
--alarm:#ff8a3d;--limit:#8a949f;--second:#ff8a3d;--third:#2fc79c;--fourth:#e29bc0;--fifth:#e9b437;
--good:#2fc79c;--doubt:#e9b437;--bad:#ff8a3d;--strong:.42;--faint:.24}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:0 16px 40px;background:var(--page);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:1.35rem;margin:20px 0 8px;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:36px 0 10px;padding-bottom:4px;border-bottom:1px solid var(--edge)}
h3{font-size:1rem;margin:22px 0 6px}
p,ul{margin:8px 0}
a{color:var(--model)}
nav{display:flex;flex-wrap:wrap;gap:2px 16px;margin:14px 0 0;font-size:.92rem}
.soft{color:var(--soft)}
.verdict{border-left:6px solid var(--k);background:var(--card);padding:12px 16px;border-radius:4px}
.verdict>p:first-child{font-size:1.1rem;margin:0 0 4px}
.good{--k:var(--good)}.doubt{--k:var(--doubt)}.bad{--k:var(--bad)}
.verdict .sign{color:var(--k);font-weight:700}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:8px 24px;margin:10px 0 0}
.facts dt{color:var(--soft);font-size:.85rem}
.facts dd{margin:0;font-size:1.25rem;font-variant-numeric:tabular-nums}
.facts small{display:block;font-size:.8rem;color:var(--soft);max-width:230px}
.findings{padding-left:0;list-style:none}
.findings li{padding:6px 10px 6px 12px;margin:6px 0;border-left:4px solid var(--k);background:var(--card);
border-radius:3px;overflow-wrap:anywhere}
.findings b{color:var(--k)}
.scroll{overflow-x:auto;margin:8px 0}
.long{max-height:34rem;overflow-y:auto;border-bottom:1px solid var(--edge)}
.long thead th{position:sticky;top:0;background:var(--page)}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding-bottom:4px;max-width:calc(100vw - 34px)}
th,td{padding:4px 12px 4px 0;text-align:left;border-bottom:1px solid var(--edge);vertical-align:middle}
thead th{color:var(--soft);font-weight:600;vertical-align:bottom}
tbody th{font-weight:600}
tbody th,td{white-space:nowrap}
td.w{white-space:normal;min-width:200px}
.n{text-align:right}
.reason{color:var(--doubt)}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,320px),1fr));gap:16px 20px}
.side{display:flex;flex-wrap:wrap;gap:8px 48px;align-items:flex-start}.side>*{max-width:100%}.side table{min-width:250px}
figure{margin:0;min-width:0}
figcaption{font-size:.9rem;margin-bottom:2px;overflow-wrap:anywhere;color:var(--soft)}
figcaption b{color:var(--ink)}
figure>svg{display:block;width:100%;height:auto;max-width:460px}
figure.wide{grid-column:1/-1}
svg text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
fill:var(--soft);font-variant-numeric:tabular-nums}
svg text.note{fill:var(--ink)}
.m{text-anchor:middle}.e{text-anchor:end}
.grid{stroke:var(--edge);stroke-width:1;fill:none}
.data{--k:var(--data)}.model{--k:var(--model)}.guess{--k:var(--guess)}.truth{--k:var(--truth)}
.alarm{--k:var(--alarm)}.limit{--k:var(--limit)}.second{--k:var(--second)}.third{--k:var(--third)}
.fourth{--k:var(--fourth)}.fifth{--k:var(--fifth)}
.l{fill:none;stroke:var(--k);stroke-width:1.7;stroke-linejoin:round;stroke-linecap:round}
.rule{stroke:var(--k);stroke-width:1.2;fill:none}
.dash{stroke-dasharray:5 4}.rule.limit.dash{opacity:.55;stroke-width:1}
.pt{stroke:var(--k);stroke-width:4;stroke-linecap:round;fill:none}
.pt.small{stroke-width:2.4}.pt.big{stroke-width:7}
.bar{stroke:var(--k);stroke-width:1;opacity:.55;fill:none}
.band{fill:var(--model);opacity:var(--strong)}.band.pale{opacity:var(--faint)}
.fill{fill:var(--model);opacity:.6}.fill.alarm{fill:var(--alarm)}
.stem{stroke:var(--model);stroke-width:4;fill:none}
.track{stroke:var(--edge);stroke-width:1;fill:none}
.joint{stroke:var(--model);stroke-width:3;opacity:.45;fill:none}
.single{stroke:var(--model);stroke-width:7;opacity:.75;fill:none}
.open{stroke:var(--doubt);stroke-width:1.5;stroke-dasharray:3 3;fill:none}
.mark{stroke:var(--k);stroke-width:1.6;fill:var(--k)}.mark.ring{fill:var(--page)}
svg.forest{display:block}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;font-size:.87rem;color:var(--soft);align-items:center}
.legend svg{vertical-align:middle}
figure .scroll>svg{display:block}
.cell{stroke:var(--page);stroke-width:1}.blue{fill:#0072b2}.orange{fill:#e69f00}
.heat text.in{fill:#1b1f24}
.heat text.on{fill:#fff}
code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{overflow-wrap:anywhere}
pre{background:var(--card);padding:10px;overflow-x:auto;border-radius:4px;white-space:pre-wrap;
overflow-wrap:anywhere}
details{margin:8px 0}summary{cursor:pointer}
:focus-visible{outline:2px solid var(--model);outline-offset:2px}
@media (max-width:600px){body{padding:0 12px 30px}.facts{gap:8px 16px;grid-template-columns:1fr 1fr}}
@media print{:root{color-scheme:light}body{max-width:none;font-size:10.5pt;padding:0}nav{display:none}
.plots{grid-template-columns:1fr 1fr}figure,tr,.verdict,.findings li{break-inside:avoid}
h2,h3,.legend{break-after:avoid}.legend{break-inside:avoid}details::details-content{content-visibility:visible;block-size:auto}
.scroll,.long{overflow:visible;max-height:none}.verdict,pre,.findings li{border-left-width:3px}
table{font-size:8.5pt}th,td{padding-right:8px}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
)css";
}

}  // namespace parfait::report
