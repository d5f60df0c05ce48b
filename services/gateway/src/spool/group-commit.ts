/**
 * Returns a function that collects the items that arrive during a flush into one group for the next flush. Only one
 * flush runs at a time, so a slow disk delays a group and not each caller in turn. Settles as the flush of the caller's
 * group does.
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
