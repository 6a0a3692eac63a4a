// The time that all plots and the moving picture share.

type Listener = (t: number) => void;

export class Clock {
  private now = 0;
  private listeners: Listener[] = [];

  /** Whether a time has been chosen or something moves: before that no plot marks it. */
  used = false;

  get t(): number {
    return this.now;
  }

  set(t: number): void {
    if (t === this.now && this.used) return;
    this.used = true;
    this.now = t;
    for (const listener of this.listeners) listener(t);
  }

  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }
}

/** Index of the last entry of an ascending list that is not after t; 0 if all are. */
export function indexBefore(list: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A number as a person writes it. */
export function text(x: number, digits = 5): string {
  if (!Number.isFinite(x)) return "–";
  const a = Math.abs(x);
  if (a !== 0 && (a < 1e-4 || a >= 1e6)) return x.toExponential(Math.max(0, digits - 3)).replace(/\.?0+e/, "e");
  return String(Number(x.toPrecision(digits)));
}
