import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type GeneratedClient, installTool, root, toolFolder } from './installed-tool.ts'

const run = promisify(execFile)
const version = '0.29.1'
const tool = `openapi-python-client-${version}`
const bin = join(toolFolder(tool), 'bin')
const installTimeoutMs = 180_000

/** Installs the generator among this checkout's tools. Returns whether it exists. */
export function installPythonGenerator(): Promise<boolean> {
  return installTool(tool, 'the Python client', async () => {
    await run('python3', ['-m', 'venv', toolFolder(tool)], { timeout: installTimeoutMs })
    const packages = [`openapi-python-client==${version}`, 'ruff==0.17.6']
    await run(join(bin, 'pip'), ['install', '--quiet', ...packages], { timeout: installTimeoutMs })
  })
}

/** Generates the module `cobro_client` for a script, from the API description. Rejects if the generator has a warning. */
export async function generatePythonClient(script: string): Promise<GeneratedClient> {
  const work = await mkdtemp(join(tmpdir(), 'cobro-python-'))
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, PYTHONPATH: work, PYTHONDONTWRITEBYTECODE: '1' }
  const target = ['--path', join(root, 'openapi.json'), '--output-path', join(work, 'cobro_client'), '--meta', 'none']
  const program = join(bin, 'openapi-python-client')
  const { stdout, stderr } = await run(program, ['generate', '--fail-on-warning', ...target], { env, cwd: work })
  return {
    output: stdout + stderr,
    run: async args => {
      const result = await run(join(bin, 'python'), [script, ...args], { env, cwd: work })
      return JSON.parse(result.stdout)
    },
    remove: () => rm(work, { recursive: true, force: true }),
  }
}
