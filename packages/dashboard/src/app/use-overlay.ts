import { type ComponentType, useCallback, useEffect, useState } from 'react'
import { ChunkGone } from './load-chunk.ts'
import type { OverlayName, OverlayProps } from './overlay-name.ts'

/** By then, a screen has what it needs, also on a slow network. */
const laterMs = 3_000
const load = async () => (await import('./overlays.tsx')).Overlays

/** Why what is above the screens cannot be loaded: the server has another version, or for now. */
export type OverlayLoss = 'old' | 'failed' | undefined

/** Opens what is above all screens, one at a time. It is loaded when it is asked for, or a moment after the page. */
export function useOverlay() {
  const [name, show] = useState<OverlayName>()
  const [Overlays, setOverlays] = useState<ComponentType<OverlayProps>>()
  const [loss, setLoss] = useState<OverlayLoss>()
  const loadOnce = useCallback(() => load().then(component => setOverlays(() => component)), [])
  useEffect(() => {
    if (name === undefined || Overlays) return
    setLoss(undefined)
    loadOnce().catch(error => {
      show(undefined)
      setLoss(error instanceof ChunkGone ? 'old' : 'failed')
    })
  }, [name, Overlays, loadOnce])
  useEffect(() => {
    const timer = setTimeout(() => {
      // It was not asked for yet.
      loadOnce().catch(error => error instanceof ChunkGone && setLoss('old'))
    }, laterMs)
    return () => clearTimeout(timer)
  }, [loadOnce])
  return { name, show, Overlays, loss }
}
