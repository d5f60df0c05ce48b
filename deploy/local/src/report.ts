/** Tells whoever waits what is being done, in a few words. */
export type Report = (line: string) => void

/** Lines with the seconds since the start in front. */
export function reportWithSeconds(write: (line: string) => void, since = Date.now()): Report {
  return line => write(`${((Date.now() - since) / 1000).toFixed(1).padStart(6)} s  ${line}`)
}
