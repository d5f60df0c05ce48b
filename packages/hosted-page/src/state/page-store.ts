import { afterMove, type Move } from './page-moves.ts'
import type { PageState } from './page-state.ts'

export interface PageStore {
  state(): PageState
  move(move: Move): void
}

/**
 * Holds the page's state and calls back on every change, with the previous state. Rendering a change may cause another event: removing
 * a focused field fires its blur event during the render. Such an event is queued, because a nested render would leave the page
 * inconsistent for good.
 */
export function pageStore(initial: PageState, onChange: (state: PageState, before: PageState) => void): PageStore {
  let state = initial
  let telling = false
  const waiting: Move[] = []
  const tellAll = () => {
    for (let move = waiting.shift(); move; move = waiting.shift()) {
      const before = state
      state = afterMove(before, move)
      if (state !== before) onChange(state, before)
    }
  }
  return {
    state: () => state,
    move: move => {
      waiting.push(move)
      if (telling) return
      telling = true
      try {
        tellAll()
      } finally {
        telling = false
      }
    },
  }
}
