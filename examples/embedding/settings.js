const find = (id) => document.getElementById(id);

/** The five lines: the product's own backend makes each session, and Hookwright's script shows it. */
function openWebhooks() {
  return Hookwright.mount(find('webhooks'), {
    session: () => fetch('/portal-session', { method: 'POST' }).then(async (answer) => (await answer.json()).url),
    theme: find('theme').value,
    onEnded: (why) => {
      find('why').textContent =
        why === 'failed' ? 'Your webhooks cannot be loaded just now.' : 'Your webhooks are closed.';
      find('ended').hidden = false;
    },
    // After a failure the portal comes back by itself.
    onPlace: () => {
      find('ended').hidden = true;
    },
  });
}

let webhooks = openWebhooks();

find('theme').addEventListener('change', ({ target }) => {
  document.documentElement.dataset.theme = target.value;
  webhooks.update({ theme: target.value });
});
find('locale').addEventListener('change', ({ target }) => webhooks.update({ locale: target.value }));
find('again').addEventListener('click', () => {
  find('ended').hidden = true;
  webhooks.unmount();
  webhooks = openWebhooks();
});
