import { relative } from 'node:path'

const statusEveryMs = 30_000

/**
 * Prints a line for each test file that ends, with its failures, and every half minute which files
 * run.
 */
export default class ProgressReporter {
  #running = new Map()
  #ended = 0
  #files = 0
  #status

  onRunStart({ numTotalTestSuites }) {
    this.#files = numTotalTestSuites
    this.#status = setInterval(() => this.#printRunning(), statusEveryMs).unref()
  }

  onTestFileStart({ path }) {
    this.#running.set(path, performance.now())
  }

  onTestFileResult({ path }, { numFailingTests, failureMessage, testExecError }) {
    const ms = performance.now() - this.#running.get(path)
    this.#running.delete(path)
    const status = numFailingTests > 0 || testExecError ? 'FAIL' : 'PASS'
    print(`${++this.#ended}/${this.#files}  ${status}  ${describeFile(path, ms)}`)
    if (failureMessage) print(failureMessage)
  }

  onRunComplete() {
    clearInterval(this.#status)
  }

  getLastError() {}

  #printRunning() {
    const now = performance.now()
    const running = [...this.#running].map(([path, startedAt]) => describeFile(path, now - startedAt))
    print(`running ${running.join(', ')}`)
  }
}

const describeFile = (path, ms) => `${relative(process.cwd(), path)} (${(ms / 1_000).toFixed(1)} s)`

const print = text => process.stdout.write(`${text}\n`)
