import { addEventHandler, getState } from 'jest-circus'

/** Ends a test or hook that hangs, so it is long: a test that promises a time measures it. */
const defaultTimeoutMs = 600_000

/**
 * jest-light-runner ignores time limits (nicolo-ribaudo/jest-light-runner#36), so each test and
 * hook gets its own here.
 */
addEventHandler(event => {
  if (event.name !== 'add_test' && event.name !== 'add_hook') return
  const { children, hooks } = getState().currentDescribeBlock
  const added = event.name === 'add_test' ? children.at(-1) : hooks.at(-1)
  if (added?.fn) added.fn = limited(added.fn, event.timeout ?? defaultTimeoutMs)
})

function limited(run, timeoutMs) {
  return async () => {
    let timer
    const timedOut = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`The test or hook did not end within ${timeoutMs} ms.`)), timeoutMs)
    })
    try {
      return await Promise.race([run(), timedOut])
    } finally {
      clearTimeout(timer)
    }
  }
}
