-- Only roles with a grant may call a function.

revoke execute on all functions in schema hookwright from public;
do $$ begin execute current_setting('hookwright.grants'); end $$;
