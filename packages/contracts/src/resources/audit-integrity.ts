import { z } from 'zod'
import { named } from '../fields/pagination.ts'
import { isoTime } from '../fields/times.ts'

const rootHash = z.string().meta({
  description: 'The root of the Merkle tree of RFC 6962 over the events: SHA-256 in Base64.',
  examples: ['2FyyLMm0s3lWcD1Yv4m8Q1p8l0sR3u1N5x7Zk9b2T4E='],
})

/** A signed checkpoint of each batch of events: the root of the tree over all events until then. */
export const auditCheckpoint = named(
  'AuditCheckpoint',
  z
    .object({
      size: z.int().meta({ description: 'How many events it covers.', format: 'int64', examples: [1042] }),
      root: rootHash,
      previous: z.string().meta({
        description: 'The hash of the previous checkpoint: SHA-256 in Base64.',
        examples: ['9xQkq0l8nB1n0T3m0V3sXq3xj8n3sY1G5u2Lr0c7b1U='],
      }),
      note: z.string().meta({
        description: 'The signed text and its signature, in the format of C2SP tlog-checkpoint.',
        examples: ['cobro-audit-log\n1042\n…'],
      }),
      created_at: isoTime.describe('When it was signed.'),
    })
    .describe('A signed checkpoint of the audit log.'),
)

const auditDiscrepancy = named(
  'AuditDiscrepancy',
  z
    .object({
      kind: z.string().meta({ description: 'What kind of discrepancy it is.', examples: ['position'] }),
      seq: z.int().meta({ description: 'The position of the event.', format: 'int64', examples: [1042] }),
      id: z.string().nullable().meta({ description: "The event's id." }),
      expected: z
        .string()
        .nullable()
        .meta({ description: 'What the tree says.', examples: ['25000'] }),
      found: z
        .string()
        .nullable()
        .meta({ description: 'What the log says.', examples: ['24999'] }),
    })
    .describe('The first event that does not match the tree.'),
)

const auditSize = (description: string) => z.int().meta({ description, format: 'int64', examples: [1042] })

const auditRestore = named(
  'AuditRestore',
  z
    .object({
      seq: auditSize('The position of the event that records it.'),
      accepted_at: z.string().meta({ description: 'When it was accepted.', examples: ['2026-01-05T18:04:05.123Z'] }),
      accepted_by: z.string().nullable().describe('The name of the person who accepted it.'),
      reason: z.string().meta({ description: 'Why.', examples: ['The disk of the database failed.'] }),
      common_size: auditSize('The newest checkpoint that the log before and after the restore have in common.'),
      restored_size: auditSize('How many events the log had when the restore was accepted.'),
      restored_root: rootHash,
      last_known_size: auditSize('How many events the log had at its newest known checkpoint before the restore.'),
      last_known_root: rootHash,
    })
    .describe('An accepted restore of an earlier state of the log: later events were lost.'),
)

/** The result of checking the audit log against its tree. */
export const auditIntegrity = named(
  'AuditIntegrity',
  z
    .object({
      ok: z.boolean().describe('Whether every event that was checked matches the tree.'),
      size: z.int().meta({ description: 'How many events the tree has.', format: 'int64', examples: [1042] }),
      root: rootHash,
      checked: z.int().meta({ description: 'How many events were hashed again.', examples: [1042] }),
      retired: z.int().meta({
        description: 'How many were exported and dropped with their month. Their hashes remain in the tree.',
        examples: [0],
      }),
      first_fault: auditDiscrepancy.nullable().describe('The first event that does not match; `null` if all do.'),
      witnessed_size: auditSize(
        'Up to which event a checkpoint outside the database proves that none was removed from the end; `null` without one.',
      ).nullable(),
      restores: z.array(auditRestore).describe('The restores that the log has accepted, oldest first.'),
    })
    .describe('The result of checking the audit log against its tree.'),
)

/** The public keys that checkpoints are signed with. */
export const auditCheckpointKeys = named(
  'AuditCheckpointKeys',
  z
    .object({
      data: z
        .array(
          named(
            'AuditCheckpointKey',
            z
              .object({
                verifier_key: z.string().meta({
                  description: 'A verifier key in the format of C2SP signed-note.',
                  examples: ['cobro-audit-log+d241a7c3+AX3b…'],
                }),
              })
              .describe('A public key that checkpoints are signed with.'),
          ),
        )
        .describe('The keys, the current one first.'),
    })
    .describe('The public keys that checkpoints are signed with.'),
)
