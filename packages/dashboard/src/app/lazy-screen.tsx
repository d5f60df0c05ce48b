import { type ComponentType, useSyncExternalStore } from 'react'
import { Loading } from '../parts/loading.tsx'
import { Broken } from '../parts/states.tsx'
import { ChunkGone } from './load-chunk.ts'

/** A screen that has been loaded, or why it could not be; neither while it loads. */
interface Loaded {
  Screen?: ComponentType
  failure?: unknown
}

/**
 * Returns a screen that is loaded when it is first shown, or earlier by `preload`. Not as a lazy component of React, which keeps a
 * failure for good. The router would reload the page by itself where a file is gone after an update, and what was typed would be lost.
 */
export function screen(load: () => Promise<ComponentType>) {
  let loaded: Loaded = {}
  let loading: Promise<void> | undefined
  const listeners = new Set<() => void>()
  const set = (next: Loaded) => {
    loaded = next
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const start = async () => {
    set({})
    await load().then(
      Screen => set({ Screen }),
      failure => set({ failure }),
    )
    loading = undefined
  }
  // The router calls it before each visit, and waits for it.
  const preload = async () => {
    if (loaded.Screen) return
    loading ??= start()
    await loading
  }
  function LazyScreen() {
    const { Screen, failure } = useSyncExternalStore(subscribe, () => loaded)
    if (Screen) return <Screen />
    if (failure === undefined) return <Loading />
    return <Broken reset={() => void preload()} isGone={failure instanceof ChunkGone} />
  }
  return Object.assign(LazyScreen, { preload })
}
