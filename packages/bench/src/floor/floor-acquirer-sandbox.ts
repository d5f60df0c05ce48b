import { randomUUID } from 'node:crypto'
import { newId } from '@cobro/contracts'
import { compactDecrypt, importJWK } from 'jose'
import { runStatement } from './floor-statements.ts'
import { connect, runFloorProcess, serve } from './floor-wiring.ts'

/** Decrypts cards and stores their tokens, and stores charges. */
runFloorProcess(async ({ postgresUrl, rows, keys }) => {
  const pool = connect(postgresUrl, 'acquirer_sandbox')
  const key = await importJWK(keys.card, 'ECDH-ES')

  const tokenize = async (card_jwe: string, attempt: string) => {
    const { plaintext } = await compactDecrypt(card_jwe, key)
    const { jti, exp_month, exp_year } = JSON.parse(new TextDecoder().decode(plaintext))
    const token = newId('tok')
    await runStatement(pool, 'tokenize', [
      { into: 'card_uses', rows: [{ ...rows.cardUse, jti, attempt, token }] },
      { into: 'tokens', rows: [{ ...rows.token, token, exp_month, exp_year, created_at: new Date() }] },
    ])
    return { token }
  }
  const charge = async (key: string, token: string) => {
    const row = { ...rows.charge, key, token, reference: randomUUID(), created_at: new Date() }
    await runStatement(pool, 'charge', [{ into: 'charges', rows: [row] }])
    return { status: 'approved', reference: row.reference }
  }
  return serve((path, { card_jwe, attempt, token }) =>
    path === '/tokens' ? tokenize(card_jwe, attempt) : charge(attempt, token),
  )
})
