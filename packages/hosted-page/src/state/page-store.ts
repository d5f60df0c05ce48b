import { afterMove, type Move } from './page-moves.ts'
import type { PageState } from './page-state.ts'

/**
 * Holds the page's state and calls back on every change, with the previous state. Rendering a
 * change may cause another event: removing a focused field fires its blur event during the render. Such an event is
 * queued, because a nested render would leave the page inconsistent for good.
 */
export function pageStore(initial: PageState, onChange: (state: PageState, before: PageState) => void) {
  let state = initial
  let applying = false
  const queue: Move[] = []
  const applyAll = () => {
    for (let move = queue.shift(); move; move = queue.shift()) {
      const before = state
      state = afterMove(before, move)
      if (state !== before) onChange(state, before)
    }
  }
  return {
    state: (): PageState => state,
    move: (move: Move): void => {
      queue.push(move)
      if (applying) return
      applying = true
      try {
        applyAll()
      } finally {
        applying = false
      }
    },
  }
}

export type PageStore = ReturnType<typeof pageStore>
