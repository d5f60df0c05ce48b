import { afterMove, type Move } from './page-moves.ts'
import type { PageState } from './page-state.ts'

export interface PageStore {
  state(): PageState
  move(move: Move): void
}

/**
 * Holds the page's state and tells of every change, with the state before it. To draw a change may cause another: a field
 * that is taken away while it has the focus is left by that, in the midst of the drawing. Such a move waits its turn, since a
 * drawing within a drawing leaves the page as it was, for good.
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
