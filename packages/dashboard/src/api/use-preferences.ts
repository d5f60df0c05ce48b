import { ApiError, type Preferences, type UpdatePreferences } from '@cobro/sdk/admin'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { cobro, queries } from './cobro.ts'
import { zoneKey } from './user-storage.ts'

const options = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => cobro.preferences.retrieve({ signal }),
  staleTime: 60_000,
})

/** Reads the preferences of the user. */
export const usePreferences = () => useQuery(options)

type Change = Omit<UpdatePreferences, 'version'>

/**
 * Changes the preferences, made from those that this page has. If another page has changed them, nothing is changed, and they are
 * read again.
 */
export function useChangePreferences() {
  const { queryKey } = options
  return useMutation({
    // One after the other: each needs the version that the one before has made.
    scope: { id: 'preferences' },
    networkMode: 'always',
    mutationFn: async (change: (now: Preferences) => Change) => {
      const now = await queries.ensureQueryData(options)
      return cobro.preferences.update({ version: now.version, ...change(now) })
    },
    // An answer that was asked for before is older.
    onMutate: () => queries.cancelQueries({ queryKey }),
    onSuccess: preferences => void queries.setQueryData(queryKey, preferences),
    onError: error => (isConflict(error) ? queries.invalidateQueries({ queryKey }) : undefined),
  })
}

/** Returns whether another page has changed the preferences first. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.code === 'conflict'

/** Returns the time zone that the user prefers to the merchant's. Until it is known, it is that of the last visit. */
export function usePreferredZone(): string | null {
  const { data: preferences } = usePreferences()
  return preferences ? preferences.timezone : localStorage.getItem(zoneKey)
}

/** Stores the time zone in this browser for the next visit. */
export function storeZone(zone: string | null): void {
  if (zone) localStorage.setItem(zoneKey, zone)
  else localStorage.removeItem(zoneKey)
}
