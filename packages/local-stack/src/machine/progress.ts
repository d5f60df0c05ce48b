/** Tells whoever waits what is being done, in a few words. */
export type ReportProgress = (line: string) => void

/** Lines with the seconds since the start in front; the start is that of the command, which may have installed things first. */
export function progressReporter(write: (line: string) => void): ReportProgress {
  const since = Number(process.env.COBRO_STARTED_AT || Date.now())
  return line => write(`${((Date.now() - since) / 1000).toFixed(1).padStart(6)} s  ${line}`)
}
