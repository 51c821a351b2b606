module hookwright/svix

go 1.20

require github.com/svix/svix-webhooks v1.44.0

require gopkg.in/validator.v2 v2.0.1 // indirect
