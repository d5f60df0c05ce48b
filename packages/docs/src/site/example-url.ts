/** The address that pages are written with. A deployment's gateway replaces it by its own. */
export const exampleUrl = 'https://pay.example.com'
