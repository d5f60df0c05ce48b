import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { StackServiceName } from '@cobro/local-stack'
import { type BenchStack, print, profileDirectory } from './bench-stack.ts'
import { type Profile, profileShares } from './profile-groups.ts'

/** Stops a profiled service, which writes its profile; prints groups' shares from `fromUs` on. */
export async function reportProfile({ dir, stack }: BenchStack, service: StackServiceName, fromUs = 0): Promise<void> {
  await stack.process(service).stop()
  print(`\nCPU time of ${service}`)
  for (const [group, share] of profileShares(await largestProfile(profileDirectory(dir, service)), fromUs)) {
    if (share >= 0.005) print(`${group.padEnd(26)} ${(share * 100).toFixed(1).padStart(5)} %`)
  }
}

/** Finds a directory's largest profile; short-lived commands of the service leave small ones. */
async function largestProfile(dir: string): Promise<Profile> {
  const names = (await readdir(dir)).filter(name => name.endsWith('.cpuprofile'))
  const sizes = await Promise.all(names.map(async name => ({ name, size: (await stat(join(dir, name))).size })))
  const largest = sizes.toSorted((a, b) => b.size - a.size)[0]
  if (!largest) throw new Error('The service left no profile.')
  return JSON.parse(await readFile(join(dir, largest.name), 'utf8'))
}
