import { execFile } from 'node:child_process'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
const version = '0.29.1'
const folder = join(root, '.tools', `openapi-python-client-${version}`)
const bin = join(folder, 'bin')
const installTimeoutMs = 180_000

/** Installs the generator in the folder of this checkout's tools, once. Returns whether it exists, and says why if not. */
export async function installPythonGenerator(): Promise<boolean> {
  try {
    await access(join(bin, 'complete'))
    return true
  } catch {}
  try {
    await run('python3', ['-m', 'venv', folder], { timeout: installTimeoutMs })
    const packages = [`openapi-python-client==${version}`, 'ruff==0.17.6']
    await run(join(bin, 'pip'), ['install', '--quiet', ...packages], { timeout: installTimeoutMs })
    await run('touch', [join(bin, 'complete')])
    return true
  } catch (error) {
    process.stdout.write(`the Python client was not tested: ${String(error).slice(0, 300)}\n`)
    await rm(folder, { recursive: true, force: true })
    return false
  }
}

/** A client in Python, generated from the API description. */
export interface PythonClient {
  /** What the generator printed. */
  output: string
  /** Runs a script that imports `cobro_client`, and returns the JSON that it prints. */
  run(script: string, args: readonly string[]): Promise<unknown>
  remove(): Promise<void>
}

/** Generates a client from the API description. Rejects if the generator has a warning. */
export async function generatePythonClient(): Promise<PythonClient> {
  const work = await mkdtemp(join(tmpdir(), 'cobro-python-'))
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, PYTHONPATH: work, PYTHONDONTWRITEBYTECODE: '1' }
  const target = ['--path', join(root, 'openapi.json'), '--output-path', join(work, 'cobro_client'), '--meta', 'none']
  const program = join(bin, 'openapi-python-client')
  const { stdout, stderr } = await run(program, ['generate', '--fail-on-warning', ...target], { env, cwd: work })
  return {
    output: stdout + stderr,
    run: async (script, args) => {
      const result = await run(join(bin, 'python'), [script, ...args], { env, cwd: work })
      return JSON.parse(result.stdout)
    },
    remove: () => rm(work, { recursive: true, force: true }),
  }
}
