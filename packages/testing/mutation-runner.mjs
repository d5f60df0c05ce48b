import { spawn } from 'node:child_process'
import { relative } from 'node:path'

/**
 * A test runner for Stryker that runs each mutant against the unit tests of its own file, in a
 * process of its own: some mutants change values that a module computes once.
 */
class OwnTestFile {
  capabilities() {
    return { reloadEnvironment: true }
  }

  async dryRun({ files, timeout }) {
    const { status, output, ms } = await runTests(files.map(testFileOf), { timeout })
    if (status !== 'passed') return { status: 'error', errorMessage: output }
    return { status: 'complete', tests: [{ id: 'all', name: 'all', status: 0, timeSpentMs: ms }] }
  }

  async mutantRun({ activeMutant, sandboxFileName, timeout }) {
    const env = { ...process.env, __STRYKER_ACTIVE_MUTANT__: activeMutant.id }
    const { status, output } = await runTests([testFileOf(sandboxFileName)], { timeout, env })
    if (status === 'timeout') return { status: 'timeout' }
    if (status === 'passed') return { status: 'survived', nrOfTests: 1 }
    return { status: 'killed', killedBy: ['all'], failureMessage: output, nrOfTests: 1 }
  }
}

const testFileOf = file => relative(process.cwd(), file).replace(/\.ts$/, '.test.ts')

function runTests(files, { timeout, env = process.env }) {
  const startedAt = performance.now()
  const args = ['--bail', '--maxWorkers=1', '--silent', '--runTestsByPath', ...files]
  const child = spawn('jest', args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => output.push(text))
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    child.kill('SIGKILL')
  }, timeout)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => {
      clearTimeout(timer)
      const status = timedOut ? 'timeout' : code === 0 ? 'passed' : 'failed'
      resolve({ status, output: output.join(''), ms: performance.now() - startedAt })
    })
  })
}

/**
 * Leaves out what readers see and no rule: descriptions of schemas and messages of their errors.
 */
class Texts {
  shouldIgnore({ node }) {
    if (node.type === 'CallExpression' && node.callee.property?.name === 'meta') return 'a description'
    if (node.type === 'ObjectProperty' && node.key.name === 'message') return 'a message'
    return undefined
  }
}

export const strykerPlugins = [
  { kind: 'TestRunner', name: 'own-test-file', injectableClass: OwnTestFile },
  { kind: 'Ignore', name: 'texts', injectableClass: Texts },
]
