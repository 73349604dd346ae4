/** What JSX of the page becomes calls of. */
export { Fragment, h } from 'preact'
