/** `build/inline-page.mjs` makes these modules. */
declare module '*&page' {
  /** The whole page, compressed by Brotli, as base64. */
  export const brotli: string
  /** Identifies this version of the page. */
  export const id: string
  /** Hashes of the page's script and style for a Content-Security-Policy: `sha256-…`. */
  export const hashes: { readonly script: string; readonly style: string }
}

/** A style that the build puts into the page. */
declare module '*.css'
