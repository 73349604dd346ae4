/** A file's text, which the build puts into the program: build/inline-text.mjs. */
declare module '*?text' {
  export const text: string
}
