-- Only roles with a grant may call a function.

revoke execute on all functions in schema hookwright from public;
do $$
declare
  sentence text;
begin
  for sentence in
    select format('grant execute on function %s to %s', p.oid::regprocedure, g->>'role')
    from jsonb_array_elements(current_setting('hookwright.grants')::jsonb) g
    join pg_proc p on p.pronamespace = 'hookwright'::regnamespace and p.proname = g->>'function'
  loop
    execute sentence;
  end loop;
end $$;
