/** A whole program for a page, as text; `build/inline-script.mjs` makes it. */
declare module '*?script' {
  export const script: string
}
