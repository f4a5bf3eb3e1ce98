using System;

// Scenarios are added with the engine; a soak run without one has shown nothing and says so.
Console.Error.WriteLine($"unknown scenario: {(args.Length == 0 ? "(none given)" : args[0])}");
return 2;
