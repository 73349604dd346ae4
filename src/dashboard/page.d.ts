/** `build/inline-page.mjs` makes these modules. */
declare module '*?page' {
  /** The whole page, compressed and in Base64. */
  export const gzip: string
  /** Another one for each other page. */
  export const id: string
  /** Of the script and the style inside, for a Content-Security-Policy: `sha256-…`. */
  export const hashes: { readonly script: string; readonly style: string }
}

/** A style that the build puts into the page. */
declare module '*.css'
