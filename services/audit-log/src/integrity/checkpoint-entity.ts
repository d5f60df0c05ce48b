import { defineEntity, p } from '@mikro-orm/core'

/** A checkpoint. Lists do not load its leaves and frontier. */
export const CheckpointEntity = defineEntity({
  name: 'Checkpoint',
  tableName: 'checkpoints',
  properties: {
    size: p.bigint('number').primary(),
    leaves: p.blob().lazy(),
    frontier: p.blob().lazy(),
    note: p.text(),
    created_at: p.datetime(3),
  },
})
