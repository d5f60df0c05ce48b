import { type Preferences, withoutEmail } from '@cobro/contracts'
import type { Tx } from '@cobro/database'

type View = Pick<Preferences['views'][number], 'list' | 'name' | 'search'>

interface ViewsOfUser {
  user_id: string
  views: View[]
}

/** Returns the saved views whose filters or name have a payer's address. */
export async function findViews(tx: Tx, email: string): Promise<View[]> {
  return (await readViews(tx)).flatMap(({ views }) => views.filter(view => hasAddress(view, email)))
}

/** Deletes these views and returns how many. A page that has them still cannot save them again. */
export async function eraseViews(tx: Tx, email: string): Promise<number> {
  let erased = 0
  for (const { user_id, views } of await readViews(tx, 'for update')) {
    const kept = views.filter(view => !hasAddress(view, email))
    if (kept.length === views.length) continue
    erased += views.length - kept.length
    await tx.execute(
      `update gateway.user_preferences set preferences = jsonb_set(preferences, '{views}', ?::jsonb),
         version = version + 1, updated_at = now() where user_id = ?`,
      [JSON.stringify(kept), user_id],
    )
  }
  return erased
}

/** Users of the dashboard are few, so that all of them are read: an address is found in a search however it is encoded. */
function readViews(tx: Tx, lock: '' | 'for update' = ''): Promise<ViewsOfUser[]> {
  return tx.execute<ViewsOfUser[]>(
    `select user_id, preferences -> 'views' as views from gateway.user_preferences
     where jsonb_array_length(preferences -> 'views') > 0 order by user_id ${lock}`,
  )
}

/** Returns whether a view has an address in lower case, also within a text. */
export function hasAddress({ name, search }: Pick<View, 'name' | 'search'>, email: string): boolean {
  const texts = [name, ...new URLSearchParams(search).values()]
  return texts.some(text => withoutEmail(text, email) !== text)
}
