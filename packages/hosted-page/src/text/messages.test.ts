import { messages } from './messages.ts'

test.each(['es', 'en'] as const)('hides from the payer that a card is lost, stolen or suspected, in %s', locale => {
  const { declines } = messages[locale]
  for (const reason of ['lost_card', 'stolen_card', 'suspected_fraud'] as const) {
    expect(declines[reason]).toBe(declines.card_declined)
  }
})

test('uses the right plural in both languages', () => {
  expect(messages.es.attemptsLeft(1)).toBe('Te queda 1 intento.')
  expect(messages.en.attemptsLeft(9)).toBe('You have 9 attempts left.')
})
