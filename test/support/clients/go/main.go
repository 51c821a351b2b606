// A program with a client that oapi-codegen has generated from the OpenAPI document: client.gen.go, in this package.
// It goes through the life of a webhook and prints what it sees, a line each. Arguments: base URL, API key.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	ctx := context.Background()
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	client, err := NewClientWithResponses(os.Args[1], WithRequestEditorFn(withKey))
	expect(err == nil, err)

	created, err := client.CreateWebhookWithResponse(ctx, nil, WebhookInput{
		Url:    "https://example.com/hooks",
		Events: []SubscribedEvent{"booking.created"},
	})
	expect(err == nil && created.JSON201 != nil, err)
	webhook := created.JSON201.Data
	var id int64 = webhook.Id
	isThere := created.HTTPResponse.Header.Get("Location") == fmt.Sprintf("/api/v1/webhooks/%d", id)
	fmt.Println("created", webhook.Events[0], len(webhook.Secret) > 40, isThere)

	later := "a.type_registered_later"
	refused, err := client.ListWebhooksWithResponse(ctx, &ListWebhooksParams{Event: &later})
	expect(err == nil && refused.ApplicationproblemJSON422 != nil, err)
	fmt.Println("refused", (*refused.ApplicationproblemJSON422.Errors)[0].Code)

	var limit int32 = 1
	page, err := client.ListWebhooksWithResponse(ctx, &ListWebhooksParams{Limit: &limit})
	expect(err == nil && page.JSON200 != nil, err)
	fmt.Println("listed", len(page.JSON200.Data), page.JSON200.Data[0].LastSuccessAt == nil, page.JSON200.Meta.NextCursor == nil)

	tested, err := client.TestWebhookWithResponse(ctx, id, nil, WebhookTest{})
	expect(err == nil && tested.JSON202 != nil, err)
	fmt.Println("tested", tested.JSON202.Data.Event, tested.JSON202.Data.Id > 1<<32, tested.JSON202.Data.WebhookId == id)

	active := false
	paused, err := client.UpdateWebhookWithResponse(ctx, id, nil, WebhookChange{Active: &active})
	expect(err == nil && paused.JSON200 != nil, err)
	fmt.Println("paused", paused.JSON200.Data.Active, paused.JSON200.Data.DisabledAt.Year() > 2000)

	deleted, err := client.DeleteWebhookWithResponse(ctx, id, nil)
	expect(err == nil, err)
	gone, err := client.GetWebhookWithResponse(ctx, id, nil)
	expect(err == nil && gone.ApplicationproblemJSON404 != nil, err)
	fmt.Println("deleted", deleted.StatusCode(), gone.ApplicationproblemJSON404.Code)
}

func expect(isRight bool, err error) {
	if !isRight {
		fmt.Println("not as expected:", err)
		os.Exit(1)
	}
}
