import { useSyncExternalStore } from 'react'

const phone = matchMedia('(max-width: 640px)')

function subscribe(listener: () => void): () => void {
  phone.addEventListener('change', listener)
  return () => phone.removeEventListener('change', listener)
}

/** Returns whether the window is as narrow as that of a phone. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => phone.matches)
