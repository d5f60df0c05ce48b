import { appendFile } from 'node:fs/promises'
import type { Reader } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import type { SignedCheckpoint } from './add-leaves.ts'
import { countAuditFailure } from './audit-failures.ts'
import { newestCheckpoint } from './checkpoint-file.ts'
import type { VerifyingKey } from './checkpoint-keys.ts'
import { noteHash } from './checkpoint-note.ts'
import { BrokenTree, noteAt, type TreeHead } from './tree-head.ts'

/** Stores checkpoints where the administrator of the database cannot change them. */
export interface CheckpointWitness {
  /** Returns the newest checkpoint that is known outside the database. */
  newest: () => SignedCheckpoint | undefined
  /** Logs a checkpoint, appends it to the file, and makes it the newest one. */
  store: (checkpoint: SignedCheckpoint) => Promise<void>
  /**
   * Throws a `BrokenTree` if the log lacks a checkpoint, by default the newest, because the database was rolled back. The
   * checkpoint has to be older than the head: without a lock, the log grows while its head is read.
   */
  requireIn: (em: Reader, head: TreeHead, checkpoint?: SignedCheckpoint) => Promise<void>
}

/**
 * Opens a witness that starts with the newest checkpoint in `file`, if set. Errors of later writes
 * do not stop the audit log: its events are stored, and every later checkpoint covers them too.
 */
export async function openWitness(
  file: string | undefined,
  keys: readonly VerifyingKey[],
  logger: Logger,
): Promise<CheckpointWitness> {
  let newest = file === undefined ? undefined : await newestCheckpoint(file, keys)
  return {
    newest: () => newest,
    store: async checkpoint => {
      newest = checkpoint
      logger.info(checkpoint, 'checkpoint')
      if (file === undefined) return
      await appendFile(file, `${JSON.stringify(checkpoint)}\n`).catch(error => {
        countAuditFailure('witness')
        logger.error({ err: error, file }, 'cannot write a checkpoint outside the database')
      })
    },
    requireIn: async (em, head, checkpoint = newest) => {
      if (checkpoint === undefined || (await isIn(em, head, checkpoint))) return
      throw new BrokenTree(
        `The log has ${head.size} events and lacks the checkpoint of ${checkpoint.size} events that was signed before: the database was rolled back.`,
      )
    },
  }
}

/** Returns whether the log has a checkpoint, and the restores that it was signed after. */
async function isIn(em: Reader, head: TreeHead, { size, note, restores }: SignedCheckpoint): Promise<boolean> {
  if (head.restores < restores || head.size < size) return false
  return head.size === size ? head.previous.equals(noteHash(note)) : (await noteAt(em, size)) === note
}
