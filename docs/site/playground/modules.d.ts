/** `build.mjs` makes this module. */
declare module 'worker-script' {
  export const script: string
}

declare module '*.css'
