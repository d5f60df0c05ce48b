/** Prints a short line about what is being done. */
export type ReportProgress = (line: string) => void

/** Prefixes lines with the seconds since the npm script started, including package installation. */
export function progressReporter(write: (line: string) => void): ReportProgress {
  const since = Number(process.env.COBRO_STARTED_AT || Date.now())
  return line => write(`${((Date.now() - since) / 1000).toFixed(1).padStart(6)} s  ${line}`)
}
