/**
 * Imported before all libraries. graphql and others look at NODE_ENV when they are loaded, and check more without it:
 * an emit costs a twentieth more then.
 */
process.env['NODE_ENV'] ??= 'production';
