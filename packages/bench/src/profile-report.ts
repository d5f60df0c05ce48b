import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Profile, profileShares } from './profile-groups.ts'

/** Finds the largest profile in a directory. Short-lived commands of the same service leave small ones. */
export async function largestProfile(dir: string): Promise<Profile> {
  const names = (await readdir(dir)).filter(name => name.endsWith('.cpuprofile'))
  const sizes = await Promise.all(names.map(async name => ({ name, size: (await stat(join(dir, name))).size })))
  const largest = sizes.toSorted((a, b) => b.size - a.size)[0]
  if (!largest) throw new Error('The gateway left no profile.')
  return JSON.parse(await readFile(join(dir, largest.name), 'utf8'))
}

/** Prints the share of each group of code from a point in time. */
export function printShares(profile: Profile, fromUs: number): void {
  process.stdout.write('\nwhere the gateway’s own time goes\n')
  for (const [group, share] of profileShares(profile, fromUs)) {
    if (share >= 0.005) process.stdout.write(`${group.padEnd(26)} ${(share * 100).toFixed(1).padStart(5)} %\n`)
  }
}
