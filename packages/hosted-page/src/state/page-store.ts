import { afterMove, type Move } from './page-moves.ts'
import type { PageState } from './page-state.ts'

export interface PageStore {
  state(): PageState
  move(move: Move): void
}

/** Holds the page's state and tells of every change, with the state before it. */
export function pageStore(initial: PageState, onChange: (state: PageState, before: PageState) => void): PageStore {
  let state = initial
  return {
    state: () => state,
    move: move => {
      const before = state
      state = afterMove(before, move)
      if (state !== before) onChange(state, before)
    },
  }
}
