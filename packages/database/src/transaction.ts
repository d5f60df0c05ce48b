import type { EntityManager } from '@mikro-orm/postgresql'

/** The query methods of `db.read`. */
export type Reader = Pick<
  EntityManager,
  'find' | 'findOne' | 'findAndCount' | 'count' | 'execute' | 'getMetadata' | 'getDriver'
>
/** The entity manager of a transaction. */
export type Tx = EntityManager
