import { readFileSync } from 'node:fs'

/** Linux counts in ticks of a hundredth of a second. */
const tickUs = 10_000

/** The time that a process has spent on processors so far, in microseconds. Linux only: elsewhere it is not a number. */
export function cpuTimeUs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * tickUs
  } catch {
    return Number.NaN
  }
}
