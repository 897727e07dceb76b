/** Collects what is found about one guarantee. */
export class Verdict {
  /** What holds, with what was tried. */
  readonly proven: string[] = [];
  /** What does not hold. */
  readonly broken: string[] = [];
  /** What does not hold, and is only ever promised where it can be had. */
  readonly weak: string[] = [];
  advice: string | undefined;

  /** Files one sentence or the other, and the advice with the latter. */
  check(holds: boolean, proven: string, broken: string, advice?: string): void {
    if (holds) this.proven.push(proven);
    else this.fail(broken, advice);
  }

  /** Every one of `faults` breaks the guarantee; where there is none, `proven` is evidence. */
  none(faults: string[], proven: string, advice?: string): void {
    if (faults.length === 0) this.proven.push(proven);
    for (const fault of faults) this.fail(fault, advice);
  }

  fail(broken: string, advice?: string): void {
    this.broken.push(broken);
    if (advice) this.advice = advice;
  }
}
