/** Every way in which a call says which merchant an operator means. */
export interface SelectedMerchants {
  ids: string[]
  /** The request target without them: what the call is about is no parameter of the operation. */
  target: string
}

const name = 'merchant_id'

/** Reads the merchants that a request states, by header and by query, and takes them out of its target. */
export function selectedMerchants(target: string, header: readonly string[] = []): SelectedMerchants {
  const start = target.indexOf('?')
  if (start === -1) return { ids: [...header], target }
  const query = new URLSearchParams(target.slice(start + 1))
  const ids = [...header, ...query.getAll(name)]
  query.delete(name)
  const path = target.slice(0, start)
  return { ids, target: query.size === 0 ? path : `${path}?${query}` }
}
