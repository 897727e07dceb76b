/** One thing that was looked at. */
export interface Finding {
  title: string;
  ok: boolean;
  /** What was seen, or what to mend. */
  detail: string;
}

/** What a check found out about an image. */
export interface CheckReport {
  image: string;
  reference: string;
  id: string;
  ok: boolean;
  /** Unpacked. */
  sizeBytes: number;
  findings: Finding[];
}

/** A report as text for a terminal. */
export function renderReport({ reference, ok, findings }: CheckReport): string {
  const lines = findings.map(
    ({ title, ok, detail }) => `  ${ok ? 'ok  ' : 'FAIL'} ${title}${detail ? `: ${detail}` : ''}`,
  );
  return [`${reference} ${ok ? 'passes' : 'FAILS'}`, ...lines].join('\n');
}
