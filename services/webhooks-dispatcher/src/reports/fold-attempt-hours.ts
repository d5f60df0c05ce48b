import type { Database } from '@cobro/database'

/** How many changes one statement adds to the counts, so that each statement stays short. */
const batch = 10_000

/** Adds the changes that the triggers recorded to the hourly counts. A reader finds each in exactly one of the two tables. */
export async function foldAttemptHours({ execute }: Pick<Database, 'execute'>): Promise<void> {
  for (;;) {
    const [folded] = await execute<{ taken: number }>('select webhooks.fold_attempt_hours(?) as taken', [batch])
    if ((folded?.taken ?? 0) < batch) return
  }
}
