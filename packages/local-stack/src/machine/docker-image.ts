import { findOnPath } from './executables.ts'
import { runCommand } from './run-command.ts'

/** Returns whether a Docker daemon runs here and already has the image. */
export async function hasImage(name: string): Promise<boolean> {
  if (!findOnPath('docker')) return false
  return (await runCommand('docker', ['image', 'inspect', name], { timeoutMs: 5_000 })).ok
}
