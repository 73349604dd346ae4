/** The functions that the page's JSX calls. */
export { Fragment, h } from 'preact'
