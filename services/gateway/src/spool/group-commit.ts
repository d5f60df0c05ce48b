/**
 * Makes a function that joins what arrives while a flush runs into one group for the next flush, so that at any time
 * one runs and a slow disk costs a group, not each caller, its time. Resolves or rejects as the caller's group did.
 */
export function groupCommit<T>(flush: (group: T[]) => Promise<void>): (item: T) => Promise<void> {
  let previous: Promise<void> = Promise.resolve()
  let waiting: { group: T[]; done: Promise<void> } | undefined
  const open = () => {
    const group: T[] = []
    const done = previous.then(() => {
      waiting = undefined
      return flush(group)
    })
    previous = done.catch(() => undefined)
    return { group, done }
  }
  return item => {
    waiting ??= open()
    waiting.group.push(item)
    return waiting.done
  }
}
