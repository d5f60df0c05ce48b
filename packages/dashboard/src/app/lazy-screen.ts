import { type ComponentType, lazy } from 'react'

/**
 * Returns a screen that is loaded when it is first shown, or earlier by `preload`. That of the router would reload the page by itself
 * where a file is gone after an update, and what was typed would be lost.
 */
export function screen(load: () => Promise<ComponentType>) {
  let loading: Promise<{ default: ComponentType }> | undefined
  const preload = () => {
    loading ??= load().then(
      component => ({ default: component }),
      error => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  return Object.assign(lazy(preload), { preload: async () => void (await preload().catch(() => undefined)) })
}
