import type { EntityManager } from '@mikro-orm/postgresql'

/** The queries that `db.read` offers. */
export type Reader = Pick<EntityManager, 'find' | 'findOne' | 'findAndCount' | 'count' | 'execute'>
/** The entity manager of a transaction. */
export type Tx = EntityManager
