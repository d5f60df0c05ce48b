/**
 * A report of the acquirer that contradicts what is stored, thrown before anything is changed.
 * Its notification is stored all the same; a command with such a reply is dead-lettered. A person has to ask the acquirer.
 */
export class Contradiction extends Error {
  override readonly name = 'Contradiction'
}
