import * as dashboard from '../../dashboard/fleet/index.html?page'
import { inlinedPage } from '../sidecar/dashboard-route.js'

/** The dashboard of a Fleet. */
export const page = inlinedPage(dashboard)
