import { runCommand } from '@cobro/local-stack/run-command'
import { repositoryRoot } from '@cobro/local-stack/stack-paths'
import { userError } from '@cobro/local-stack/user-error'

/** Runs a docker command in the root of the repository and returns its output. Throws if it fails. */
export type Docker = (args: string[]) => Promise<string>

/** The docker command on `PATH`. */
export const docker: Docker = async args => {
  const { ok, stdout, stderr } = await runCommand('docker', args, { cwd: repositoryRoot })
  if (!ok)
    throw userError(`docker ${args[0]} failed:\n${`${stdout}${stderr}`.trim().split('\n').slice(-30).join('\n')}`)
  return stdout
}
